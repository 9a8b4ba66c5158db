import { BloomFilter } from 'bloomery';
import { useState } from 'react';

const known = BloomFilter.from(['ada']);

export default function Page() {
  const [name, setName] = useState('ada');
  return (
    <>
      <input onChange={({ target }) => setName(target.value)} value={name} />
      <output>{`${name} ${known.has(name)} ${known.engine}`}</output>
    </>
  );
}
