import { StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { json } from '@codemirror/legacy-modes/mode/javascript'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view'
import { colours, looks } from './editor-looks.ts'
import type { Language } from './editor-props.ts'

const languages = { shell: StreamLanguage.define(shell), json: StreamLanguage.define(json) }

/** Those that begin and isolate a direction of writing: a text with them does not look like what runs. */
const directions = /[\u202a-\u202c\u2068]/g

/** How code looks, wherever it is. */
export const codeLooks = (language: Language) => [
  lineNumbers(),
  highlightSpecialChars({ addSpecialChars: directions }),
  languages[language],
  [syntaxHighlighting(colours), looks, EditorView.lineWrapping],
]

/** Of code that nobody changes. It takes the focus, so that the keyboard scrolls it. */
export const readOnlyCode = (label: string) => [
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-readonly': 'true',
    dir: 'ltr',
    tabindex: '0',
  }),
]
