import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { codeLooks, readOnlyCode } from './code-looks.ts'
import type { EditorProps } from './editor-props.ts'

/** Text as the editor has it, whose lines end with one character. */
const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

/** The text may have changed since the caret was there. */
const rangeIn = (text: string, [from, to]: readonly [number, number]) => ({
  anchor: Math.min(from, text.length),
  head: Math.min(to, text.length),
})

const writtenCode = (label: string, help: string) => [
  [history(), bracketMatching(), indentOnInput(), keymap.of([...standardKeymap, ...historyKeymap])],
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-description': help,
    dir: 'ltr',
    spellcheck: 'false',
  }),
]

/**
 * An editor of code, or code that is only read. It is in a shadow root, where its styles are style sheets of the root: the policy of the page allows no style
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
  const isReadOnly = onValue === undefined
  const onChanged = useEffectEvent((changed: string) => onValue?.(changed))
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
          codeLooks(language),
          isReadOnly ? readOnlyCode(label) : writtenCode(label, help),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) onChanged(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    if (start.selection) editor.focus()
    return () => editor.destroy()
  }, [label, help, language, isReadOnly])
  useEffect(() => {
    const state = view.current?.state
    if (state === undefined || state.doc.toString() === text) return
    view.current?.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } })
  }, [text])
  return <div ref={host} />
}
