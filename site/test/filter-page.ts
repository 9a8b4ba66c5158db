import { SitePage } from './page.ts';

export type Mode = 'keep' | 'drop' | 'once';

export interface Wanted {
  readonly mode: Mode;
  readonly text: string;
  readonly list?: string;
  readonly errorRate: number;
}

export class FilterPage extends SitePage {
  /** Opens the page without what it remembers, and keeps the Blobs that it offers for download from then on. */
  override async open(): Promise<void> {
    await super.open('offline.html');
    await this.browser.evaluate('sessionStorage.clear()');
    await super.open('list.html');
    await this.textLike('error-rate-note', /./);
    await this.browser.evaluate(`
      window.blobs = [];
      const makeUrl = URL.createObjectURL;
      URL.createObjectURL = (blob) => { window.blobs.push(blob); return makeUrl.call(URL, blob); };`);
  }

  /** Compares a column, or no more, as soon as the table of an input has it. */
  tick(id: 'text' | 'list', name: string): Promise<unknown> {
    const labels = `[...document.querySelectorAll('#${id} .reading:not([hidden]) th label')]`;
    return this.until(
      `the column ${name}`,
      `const label = ${labels}.find(({ textContent }) => textContent === ${JSON.stringify(name)});
      label?.click();
      return label !== undefined;`,
    );
  }

  async choose(mode: Mode, errorRate: number): Promise<void> {
    await this.browser.evaluate(`
      document.querySelector('input[value=${mode}]').click();
      const rate = document.getElementById('error-rate');
      rate.value = [...rate.options].find(({ value }) => Number(value) === ${errorRate}).value;`);
  }

  async upload(id: 'text-file' | 'list-file' | 'list-filter', path: string): Promise<void> {
    await this.browser.upload(path, `#${id}`);
    const name = path.replace(/^.*\//, '').replaceAll(/[.]/g, '\\.');
    await this.textLike(`${id.slice(0, 4)}-status`, new RegExp(`^${name}`));
  }

  async describe({ mode, text, list, errorRate }: Wanted): Promise<void> {
    await this.open();
    await this.choose(mode, errorRate);
    await this.upload('text-file', text);
    if (list !== undefined) await this.upload('list-file', list);
  }

  /** Waits for the end of a run, and gives its last words. */
  end(): Promise<string> {
    return this.textLike('progress-text', /^(Done|Failed|Canceled)/);
  }

  async start(): Promise<string> {
    await this.click('start');
    return this.end();
  }

  /** What the page tells about the filter under some name. */
  fact(name: string): Promise<string> {
    const found = `.find(({ textContent }) => textContent === ${JSON.stringify(name)})`;
    return this.get(`[...document.querySelectorAll('#facts dt, #details dt')]${found}?.nextSibling.textContent`);
  }

  async capacity(): Promise<number> {
    return Number((await this.fact('made for')).replaceAll(/\D/g, ''));
  }

  /** Presses a button that offers a download, and gives the SHA-256 of what it offers. */
  async digestOf(button: 'download' | 'save-filter'): Promise<string> {
    await this.browser.evaluate('window.blobs.length = 0');
    await this.click(button);
    return this.until(
      'a download',
      `const [blob] = window.blobs;
      if (blob === undefined) return '';
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');`,
    );
  }
}
