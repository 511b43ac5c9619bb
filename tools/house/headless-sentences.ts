/**
 * Finds sentences of comments and documents that begin with a headless What, Who, Whose, Whoever or That which. Such a
 * sentence names no subject; "Results of a run." says the same as a noun phrase. A question may begin so.
 */
const headless = 'What|Who|Whose|Whoever|Whatever|That which'
const headlessSentence = new RegExp(`(?:^|[.:!?]\\*{0,2} |[|] )(?:\\*\\*)?(?:${headless})\\b(?![^.]*[?])`)

/** Marks of lists, headings and quotations before a sentence. */
const marks = /^\s*(?:#+ |[-*>] |\d+[.] |[|] )*/
const codeComment = /^\s*(?:\/?\*{1,2}|\/\/)\s(?<whole>.*)$|(?:^|\s)(?:\/\/|\/\*\*?)\s(?<trailing>.*)$/
const hashComment = /(?:^|\s)#\s(?<whole>.*)$/

/** The text of the line that a reader takes for prose, or undefined. */
function proseOf(file: string, line: string): string | undefined {
  if (file.endsWith('.md')) return line.replace(marks, '')
  const comment = /[.](tsx?|css|mjs|js|c|h)$/.test(file) ? codeComment : hashComment
  const { whole, trailing } = comment.exec(line)?.groups ?? {}
  return (whole ?? trailing)?.replace(marks, '')
}

/** The numbers of the lines with such a sentence, from 1. */
export function headlessLines(file: string, text: string): number[] {
  let isCode = false
  return text.split('\n').flatMap((line, at) => {
    if (file.endsWith('.md') && line.trimStart().startsWith('```')) isCode = !isCode
    return !isCode && headlessSentence.test(proseOf(file, line) ?? '') ? [at + 1] : []
  })
}
