// Keeps Vitest from taking the configuration of a folder above.
export default {};
