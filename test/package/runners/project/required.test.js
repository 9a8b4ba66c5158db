const { it = require('node:test').it } = globalThis;

require('./checks.cjs')(it, async (entry) => require(entry));
