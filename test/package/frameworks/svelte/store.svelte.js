export function makeStore(filter) {
  const raw = $state.raw(filter);
  const direct = $state(filter);
  const state = $state({ filter, version: 0 });
  const seen = [];
  const stop = $effect.root(() => {
    $effect(() => {
      seen.push([state.version, state.filter.has('bob')]);
    });
  });
  return { held: () => [raw, direct, state.filter], state, seen, stop, snapshot: () => $state.snapshot(state) };
}
