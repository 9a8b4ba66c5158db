import type { RunnerTask, SerializedError } from 'vitest';
import { DefaultReporter, type TestModule, type TestRunEndReason } from 'vitest/node';

/** The names of the tests in a file that are not unique. */
function repeatedNames(module: TestModule): string[] {
  const names = [...module.children.allTests()].map(({ fullName }) => fullName);
  return [...new Set(names.filter((name, at) => names.indexOf(name) < at))];
}

/**
 * Vitest's default reporter with three changes. Slow and failed tests are listed with the names of the groups that they
 * are in. A name that two tests of a file share is a failure. The last line is machine-readable: its failures include
 * files that fail to load and errors outside any test.
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
    const repeated = modules.flatMap((module) =>
      repeatedNames(module).map((name) => `${module.relativeModuleId}: two tests are named '${name}'`),
    );
    for (const each of repeated) console.error(each);
    if (repeated.length > 0) process.exitCode = 1;

    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length + repeated.length;
    const skipped = count('skipped') + count('pending');
    console.log(`${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
