// What a step is, and what it gets from the page.

import type { Engine } from '../engine.ts';

/** The place of a step on the page. */
export interface Stage {
  /** Where the step puts its picture and its controls. It leaves the page when the step is shown again. */
  readonly root: HTMLElement;
  /** Tells what an action did. The step puts it near what has changed. */
  readonly said: HTMLElement;
  readonly engine: Engine;
  /** The state with which the step begins, from the address: anybody may have written it. */
  readonly state: URLSearchParams;
  /**
   * Puts the state into the address.
   *
   * @param isWhole whether that is all that was done here; default true
   */
  keep(state: URLSearchParams, isWhole?: boolean): void;
  /** Writes to `said` what an action did. Screen readers speak it. */
  say(text: string): void;
}

export interface Step {
  /** The sentences beside the picture. */
  readonly text: readonly string[];
  show(stage: Stage): void | Promise<void>;
}

export interface StepRow {
  /** Its name in the address. */
  readonly id: string;
  /** The page that has a place for it. */
  readonly page: string;
  readonly title: string;
  load(): Promise<{ readonly step: Step }>;
}
