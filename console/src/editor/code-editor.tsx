import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { json } from '@codemirror/legacy-modes/mode/javascript'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { EditorState } from '@codemirror/state'
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { colours, looks } from './editor-looks.ts'
import type { EditorProps } from './editor-props.ts'

const languages = { shell: StreamLanguage.define(shell), json: StreamLanguage.define(json) }

/** Text as the editor has it, whose lines end with one character. */
const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

/** The text may have changed since the caret was there. */
const rangeIn = (text: string, [from, to]: readonly [number, number]) => ({
  anchor: Math.min(from, text.length),
  head: Math.min(to, text.length),
})

/**
 * An editor of code. It is in a shadow root, where its styles are style sheets of the root: the policy of the page allows no style
 * elements. Tab leaves it, as it leaves every other field. A layout effect creates it, so that no key is pressed between the removal of
 * the plain field and its creation.
 */
export function CodeEditor({ label, help, language, value, takeCaret, onValue }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const text = withLineFeeds(value)
  const initial = useEffectEvent(() => {
    const caret = takeCaret()
    return { doc: text, ...(caret && { selection: rangeIn(text, caret) }) }
  })
  const onChanged = useEffectEvent(onValue)
  useLayoutEffect(() => {
    const element = host.current
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const start = initial()
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        ...start,
        extensions: [
          [lineNumbers(), history(), highlightSpecialChars(), bracketMatching(), indentOnInput()],
          [languages[language], syntaxHighlighting(colours), looks, EditorView.lineWrapping],
          keymap.of([...standardKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-description': help,
            dir: 'ltr',
            spellcheck: 'false',
          }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) onChanged(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    if (start.selection) editor.focus()
    return () => editor.destroy()
  }, [label, help, language])
  useEffect(() => {
    const state = view.current?.state
    if (state === undefined || state.doc.toString() === text) return
    view.current?.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } })
  }, [text])
  return <div ref={host} />
}
