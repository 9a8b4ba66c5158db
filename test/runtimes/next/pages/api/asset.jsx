import { BinaryFuseFilter } from 'bloomery/fuse';
import bytes from '../../names.bloom' with { type: 'bytes' };

export default function handler(_, response) {
  response.send(BinaryFuseFilter.fromBytes(bytes).pick(['ada', 'bob', 'grace']).join());
}
