// What was chosen and pasted, which the tab keeps while another of its pages is open.

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const fieldsOf = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('[type=radio], [type=checkbox][id], select[id], textarea'),
];

/** Keeps the state of a form. Returns false if that is more than the browser keeps. */
export function remember(form: HTMLFormElement): boolean {
  const state = fieldsOf(form).map((field) => (field instanceof HTMLInputElement ? field.checked : field.value));
  try {
    // What is too long to be kept would leave an older paste in its place.
    sessionStorage.removeItem(form.id);
    sessionStorage.setItem(form.id, JSON.stringify(state));
    return true;
  } catch {
    return false;
  }
}

/** Brings the state back, if there is one of this form as it is now. */
export function recall(form: HTMLFormElement): void {
  try {
    const state: unknown = JSON.parse(sessionStorage.getItem(form.id) ?? '[]');
    const fields = fieldsOf(form);
    if (!Array.isArray(state) || state.length !== fields.length) return;
    fields.forEach((field, i) => {
      if (field instanceof HTMLInputElement) field.checked = state[i] === true;
      else field.value = String(state[i]);
    });
  } catch {
    // The browser keeps nothing.
  }
}
