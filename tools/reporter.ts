import type { RunnerTask } from 'vitest';
import { DefaultReporter, type TestCase, type TestModule } from 'vitest/node';

const isCI = process.env['CI'] === 'true';

function isSkipped(test: TestCase): boolean {
  return ['skipped', 'pending'].includes(test.result().state);
}

/** Files and suites that fail themselves, apart from their tests: they are not loaded, or what runs before them fails. */
function brokenOnes(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) =>
    [module, ...module.children.allSuites()]
      .filter((each) => each.errors().length > 0)
      .map((each) => `  ${module.relativeModuleId}${each.type === 'suite' ? `: ${each.fullName}` : ''}`),
  );
}

function failedOnes(tests: readonly TestCase[]): string[] {
  return tests
    .filter((test) => test.result().state === 'failed')
    .map(({ module, fullName }) => `  ${module.relativeModuleId}: ${fullName}`);
}

/** How many of the slowest files a run lists. A run of no more files lists none. */
const SLOWEST = 20;

/** Lines that say where the time of a run went. Files run side by side, so together they take longer than the run. */
function slowestLines(modules: readonly TestModule[]): string[] {
  if (modules.length <= SLOWEST) return [];
  const files = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic();
    return { name: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 };
  });
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = files
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ name, seconds }) => {
      const share = `${((100 * seconds) / total).toFixed(1)} %`;
      return `  ${seconds.toFixed(1).padStart(6)} s ${share.padStart(7)}  ${name}`;
    });
  return [`The ${SLOWEST} slowest of ${files.length} files, and their share of ${total.toFixed(0)} s:`, ...rows];
}

/** Lines that say which tests a run left out, and how to run them. */
function leftOutLines(leftOut: readonly string[]): string[] {
  if (leftOut.length === 0) return [];
  return ['Left out:', ...leftOut.map((why) => `  tests that ${why}`), '`npm run test:all` runs them too.'];
}

/**
 * Vitest's default reporter with some changes. Slow and failed tests are listed with the names of the groups that they
 * are in, and the slowest files at the end. If CI=true, a skipped test is a failure. What failed, and which tests the
 * run left out, is listed at the end. The last line is machine-readable; it also counts files that fail to load, suites
 * whose hooks fail, and errors outside any test, as failures: a run that failed has at least one.
 */
export default class ProjectReporter extends DefaultReporter {
  readonly #leftOut: readonly string[];

  constructor({ leftOut }: { leftOut: readonly string[] }) {
    super();
    this.#leftOut = leftOut;
  }

  protected override getTestName(task: RunnerTask): string {
    return task.suite === undefined ? task.name : `${this.getTestName(task.suite)} > ${task.name}`;
  }

  override onTestRunEnd(...end: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...end);
    const [modules, errors, reason] = end;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter(isSkipped);
    const omitted = isCI ? skipped : [];
    for (const { module, fullName } of omitted) {
      console.error(`${module.relativeModuleId}: CI=true, but '${fullName}' was skipped`);
    }
    if (omitted.length > 0) process.exitCode = 1;

    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failures = [...failedOnes(tests), ...brokenOnes(modules)];
    const counted = failures.length + errors.length + omitted.length;
    const failed = reason === 'passed' ? counted : Math.max(1, counted);
    const failedLines = failures.length > 0 ? ['Failed:', ...failures] : [];
    for (const line of [...slowestLines(modules), ...failedLines, ...leftOutLines(this.#leftOut)]) console.log(line);
    console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  }
}
