const environments = ['node', 'jsdom', 'happy-dom'];
const projects = environments.map((environment) => ({ extends: true, test: { name: environment, environment } }));

export default { test: { globals: true, include: ['imported.test.mjs'], projects } };
