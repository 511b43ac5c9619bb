import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useLayoutEffect, useRef } from 'react'
import styles from './code-differences.module.css'
import { codeLooks, readOnlyCode } from './code-looks.ts'
import { differenceLooks } from './difference-looks.ts'
import type { Language } from './editor-props.ts'

interface Props {
  label: string
  language: Language
  before: string
  after: string
  /** The words for lines that are the same and left out; `$` is their number. */
  unchanged: string
}

/** Beyond it both texts are shown as changed: a script of a tenant may be as unlike another one as it likes. */
const diffConfig = { scanLimit: 1000, timeout: 200 }
const collapseUnchanged = { margin: 3, minSize: 4 }
/** Narrower, two columns of code have no room beside each other. */
const wide = '(min-width: 768px)'

/** Two versions of a code: side by side, or on a narrow screen one below the other, line by line. */
export default function CodeDifferences({ label, language, before, after, unchanged }: Props) {
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = host.current
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const extensions = [
      // First: they outrank the looks of code.
      differenceLooks,
      codeLooks(language),
      readOnlyCode(label),
      EditorState.phrases.of({ '$ unchanged lines': unchanged }),
    ]
    const view = matchMedia(wide).matches
      ? new MergeView({
          ...{ parent: root, root, collapseUnchanged, diffConfig },
          a: { doc: before, extensions },
          b: { doc: after, extensions },
        })
      : new EditorView({
          ...{ parent: root, root, doc: after },
          extensions: [
            extensions,
            unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged, diffConfig }),
          ],
        })
    return () => view.destroy()
  }, [label, language, before, after, unchanged])
  return <div ref={host} className={styles.scroll} />
}
