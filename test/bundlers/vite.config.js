// An app usually begins with a page, for which Vite adds code that only browsers run.
export default { build: { rolldownOptions: { input: 'app.js' } } };
