/*
 * Where lines of a monospaced font break. East Asian wide characters and emoji take two columns, marks on other characters none,
 * and a tab goes to the next multiple of eight.
 */

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const none = /[\p{Mn}\p{Me}\p{Cf}]/u
const tabColumns = 8

/** Columns of a character that begins at `column`. */
function columnsOf(character: string, column: number): number {
  if (character === '\t') return tabColumns - (column % tabColumns)
  if (character < '\u0300') return 1
  if (none.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** The offsets at which the rows of a text begin, the first at 0. */
export function rowStarts(text: string, columns: number): number[] {
  const starts = [0]
  let column = 0
  let at = 0
  for (const character of text) {
    const width = columnsOf(character, column)
    if (column > 0 && column + width > columns) {
      starts.push(at)
      column = character === '\t' ? tabColumns : width
    } else {
      column += width
    }
    at += character.length
  }
  return starts
}
