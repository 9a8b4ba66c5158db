import type { RunnerTask, SerializedError } from 'vitest';
import { DefaultReporter, type TestModule, type TestRunEndReason } from 'vitest/node';

/**
 * Vitest's default reporter with two changes. Slow and failed tests are listed with the names of the groups that they are
 * in. The last line is machine-readable: its failures include files that fail to load and errors outside any test.
 */
export default class ProjectReporter extends DefaultReporter {
  protected override getTestName(task: RunnerTask): string {
    return task.suite === undefined ? task.name : `${this.getTestName(task.suite)} > ${task.name}`;
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    super.onTestRunEnd(modules, errors, reason);
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length;
    const skipped = count('skipped') + count('pending');
    console.log(`${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
