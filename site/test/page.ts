// The site in a browser, used as a person would: files are chosen, buttons are pressed, the page is read.

import type { DrivenBrowser } from '../../test/runtimes/browsers/browser.ts';
import { sleep } from '../../test/runtimes/browsers/processes.ts';

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

  /** Waits until the body of a function gives something that is true, which it returns. */
  async until<T>(what: string, body: string): Promise<T> {
    for (const begun = Date.now(); Date.now() < begun + WAIT_MS; ) {
      const found = await this.browser.evaluate<T | undefined>(body);
      if (found) return found;
      await sleep(20);
    }
    throw new Error(`${what}: not within ${WAIT_MS / 1000} s`);
  }

  text(id: string): Promise<string> {
    return this.browser.evaluate(`return document.getElementById(${JSON.stringify(id)}).textContent.trim()`);
  }

  /** Waits until the text of an element fits a pattern, and gives it. */
  textLike(id: string, pattern: RegExp): Promise<string> {
    return this.until(
      `#${id} like ${pattern}`,
      `const text = document.getElementById(${JSON.stringify(id)}).textContent.trim();
      return ${pattern}.test(text) && text;`,
    );
  }

  /** Clicks an element, which must not be disabled: then a click would do nothing. */
  click(id: string): Promise<void> {
    return this.browser.evaluate(`
      const found = document.getElementById(${JSON.stringify(id)});
      if (found.disabled) throw new Error('#${id} is disabled');
      found.click();`);
  }

  /** Presses a key until an element has the focus. */
  async tabTo(id: string): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      await this.browser.press('Tab');
      const has = await this.browser.evaluate<boolean>(`return document.activeElement.id === ${JSON.stringify(id)}`);
      if (has) return;
    }
    throw new Error(`the Tab key does not reach #${id}`);
  }
}
