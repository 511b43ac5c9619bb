/** The commit that a release was made from, of the text that `git archive` writes; null in a checkout. */
export const commitOf = (text: string): string | null => /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0] ?? null
