export function makeStore(filter) {
  const raw = $state.raw(filter);
  const direct = $state(filter);
  const state = $state({ filter });
  return { held: () => [raw, direct, state.filter], snapshot: () => $state.snapshot(state) };
}
