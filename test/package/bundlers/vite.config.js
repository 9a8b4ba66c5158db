// An app usually begins with a page, and preloads modules in a way that only browsers know.
export default { build: { modulePreload: false, rolldownOptions: { input: process.env.APP } } };
