import { answer } from '../../program.js';

export const config = { runtime: 'edge' };

export default answer;
