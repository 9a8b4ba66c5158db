import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a test run with one machine-readable line. A file that fails to load counts as a failure, and so does an error
 * outside any test.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = count('skipped') + count('pending');
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`${count('passed')} passed, ${count('failed') + broken + errors.length} failed${tail}`);
  }
}
