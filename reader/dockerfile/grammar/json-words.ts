/** The words of an instruction in its JSON form; undefined for anything else. */
export function jsonWords(text: string): string[] | undefined {
  try {
    const words: unknown = JSON.parse(text)
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words
  } catch {}
  return undefined
}
