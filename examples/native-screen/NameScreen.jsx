import { useEffect, useState } from 'react';
import { Text, TextInput, View } from 'react-native';
import { openNames } from './known-names';

export function NameScreen({ url }) {
  const [names, setNames] = useState();
  const [name, setName] = useState('');

  useEffect(() => {
    let isCurrent = true;
    openNames(() => fetch(url)).then((loaded) => isCurrent && setNames(loaded), console.warn);
    // Names that arrive late must not replace those of a later URL.
    return () => {
      isCurrent = false;
    };
  }, [url]);

  return (
    <View>
      <TextInput autoCapitalize="none" onChangeText={setName} placeholder="Your name" value={name} />
      <Text>{name === '' || names === undefined ? '' : names.isFree(name) ? 'free' : 'the server knows'}</Text>
    </View>
  );
}
