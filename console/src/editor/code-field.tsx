import { useRef } from 'react'
import { useStore } from '../data/store.ts'
import { Field } from '../parts/field.tsx'
import type { EditorProps } from './editor-props.ts'
import { loadEditor, loadedEditor } from './loaded-editor.ts'

type Props = Required<Omit<EditorProps, 'takeCaret'>>

/** A field of code. It is a plain field until a person comes near it. */
export function CodeField(props: Props) {
  const { label, help, value, onValue } = props
  const Editor = useStore(loadedEditor)
  const caret = useRef<readonly [number, number]>(undefined)
  function takeCaret() {
    const taken = caret.current
    caret.current = undefined
    return taken
  }
  return (
    <Field label={label} help={help}>
      {(tied) =>
        Editor ? (
          <Editor {...props} takeCaret={takeCaret} />
        ) : (
          <textarea
            {...tied}
            // Read when the editor takes its place: an event of the selection may come too late.
            ref={(field) => () => {
              const hasFocus = field !== null && field === document.activeElement
              caret.current = hasFocus ? [field.selectionStart, field.selectionEnd] : undefined
            }}
            rows={6}
            spellCheck={false}
            dir="ltr"
            value={value}
            onPointerEnter={() => void loadEditor()}
            onFocus={() => void loadEditor()}
            onChange={(event) => onValue(event.target.value)}
          />
        )
      }
    </Field>
  )
}
