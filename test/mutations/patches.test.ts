import { expect, it } from 'vitest';
import { requirePatches } from './assembly.ts';

it('each file of assembly/ has patches, whose texts occur in it once', () => expect(requirePatches).not.toThrow());
