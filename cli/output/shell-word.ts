/** A word as a shell takes it back, for commands that are printed to be typed. */
export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
