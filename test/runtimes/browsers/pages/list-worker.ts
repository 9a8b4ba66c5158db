import { filterList, type List } from './list-filter.ts';
import { answer } from './runner.ts';

answer((list: List, note) => filterList(list, note));
