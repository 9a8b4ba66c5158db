import { useEffect, useState } from 'react';
import { Text, TextInput, View } from 'react-native';
import { openNames } from './known-names';

export function NameScreen({ url }) {
  const [names, setNames] = useState();
  const [name, setName] = useState('');

  useEffect(() => {
    openNames(() => fetch(url)).then(setNames, console.warn);
  }, [url]);

  return (
    <View>
      <TextInput autoCapitalize="none" onChangeText={setName} placeholder="Your name" value={name} />
      <Text>{name === '' || names === undefined ? '' : names.isFree(name) ? 'free' : 'the server knows'}</Text>
    </View>
  );
}
