/**
 * Makes text of a job or of another tenant safe for a terminal: escapes everything that could move the cursor, change
 * colours, set a title or reverse the writing direction. `keep` lists white space that stays.
 */
export function escapeControls(text: string, keep = ''): string {
  return text.replaceAll(dangerous, (character) =>
    keep.includes(character) ? character : spelled(character),
  )
}

/** Text of several lines: line ends and tabs stay; a CR before a line end is removed. */
export const escapeLines = (text: string): string => escapeControls(text.replaceAll('\r\n', '\n'), '\n\t')

// C0, DEL, C1, bidirectional and invisible marks, and lone surrogates.
const dangerous =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu

function spelled(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
