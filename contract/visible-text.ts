/**
 * Text of a tenant for a reader whom it must not deceive, such as a model or a person who confirms: control characters,
 * bidirectional and invisible marks, tag characters and lone surrogates are spelled out. Line ends and tabs stay.
 */
export const visibleText = (text: string): string => text.replaceAll(hidden, spelled)

// Ignorable ones include bidirectional marks, variation selectors and tag characters.
const hidden = /(?![\n\t])\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]|\p{Surrogate}/gu

function spelled(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`
}

/** The first characters of a text, and a mark that says how much was cut. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  // Never between the halves of a character.
  const end = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1)) ? maxLength - 1 : maxLength
  return `${text.slice(0, end)}\n[cut: ${end} of ${text.length} characters are shown]`
}
