import { answer } from './program.js';

export const config = { matcher: '/middleware' };

export const middleware = answer;
