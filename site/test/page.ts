// The site in a browser, used as a person would: files are chosen, buttons are pressed, the page is read.

import type { DrivenBrowser } from '../../test/runtimes/browsers/browser.ts';
import { sleep } from '../../test/runtimes/browsers/processes.ts';
import { same } from '../../test/runtimes/checks/assert.ts';

const WAIT_MS = 50_000;

export class SitePage {
  readonly browser: DrivenBrowser;
  readonly #url: string;

  constructor(browser: DrivenBrowser, url: string) {
    this.browser = browser;
    this.#url = url;
  }

  /** Opens a page of the site, and waits until its scripts have run. */
  async open(path = 'index.html'): Promise<void> {
    await this.browser.open(`${this.#url}${path}`);
    await this.until('the page', 'return document.readyState === "complete" && !!document.querySelector("main")');
  }

  /** Waits until a reading fits, and gives it. */
  async #wait<T>(what: string, read: () => Promise<T>, fits: (found: T) => boolean): Promise<T> {
    for (const begun = Date.now(); ; await sleep(20)) {
      const found = await read();
      if (fits(found)) return found;
      if (Date.now() > begun + WAIT_MS) throw new Error(`${what}: not within ${WAIT_MS / 1000} s, but ${found}`);
    }
  }

  /** Waits until the body of a function gives something that is true, which it returns. */
  until<T>(what: string, body: string): Promise<T> {
    return this.#wait(what, () => this.browser.evaluate<T>(body), Boolean);
  }

  get<T>(expression: string): Promise<T> {
    return this.browser.evaluate(`return ${expression}`);
  }

  /** Fails unless an expression has this value in the page. */
  async gives(expression: string, wanted: unknown): Promise<void> {
    same(JSON.stringify(await this.get(expression)), JSON.stringify(wanted), expression);
  }

  text(id: string): Promise<string> {
    return this.get(`document.getElementById(${JSON.stringify(id)}).textContent.trim()`);
  }

  /** Waits until the text of an element fits a pattern, and gives it. */
  textLike(id: string, pattern: RegExp): Promise<string> {
    return this.#wait(
      `#${id} like ${pattern}`,
      () => this.text(id),
      (text) => pattern.test(text),
    );
  }

  /** Waits until each of these elements, named by their ids, has its text, or one that fits its pattern. */
  async says(texts: Readonly<Record<string, string | RegExp>>): Promise<void> {
    for (const [id, wanted] of Object.entries(texts)) {
      const fits = (text: string): boolean => (typeof wanted === 'string' ? text === wanted : wanted.test(text));
      await this.#wait(`#${id} is ${wanted}`, () => this.text(id), fits);
    }
  }

  /** Clicks the first element that a selector finds. It must not be disabled: then a click would do nothing. */
  clickOn(selector: string): Promise<void> {
    return this.browser.evaluate(`
      const found = document.querySelector(${JSON.stringify(selector)});
      if (found.disabled) throw new Error('it is disabled: ' + found.outerHTML);
      found.click();`);
  }

  click(id: string): Promise<void> {
    return this.clickOn(`#${id}`);
  }

  enter(id: string, text: string): Promise<void> {
    return this.browser.evaluate(`
      const field = document.getElementById(${JSON.stringify(id)});
      field.focus();
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event('input', { bubbles: true }));`);
  }

  async tabTo(id: string): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      await this.browser.press('Tab');
      if (await this.get(`document.activeElement.id === ${JSON.stringify(id)}`)) return;
    }
    throw new Error(`the Tab key does not reach #${id}`);
  }
}
