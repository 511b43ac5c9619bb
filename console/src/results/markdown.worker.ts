import { Lexer } from 'marked'

/** A text in Markdown. */
export interface MarkdownText {
  text: string
  /** A line feed in a paragraph is one on the page too. */
  keepsLines: boolean
}

/** The thread that reads Markdown. It may be killed at any moment, because some texts take long. */
self.addEventListener('message', ({ data: { text, keepsLines } }: MessageEvent<MarkdownText>) => {
  self.postMessage(Lexer.lex(text, { gfm: true, breaks: keepsLines }))
})
