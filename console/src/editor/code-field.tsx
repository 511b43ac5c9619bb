import { type ComponentType, useState } from 'react'
import { Store, useStore } from '../data/store.ts'
import { Field } from '../parts/field.tsx'
import type { EditorProps } from './editor-props.ts'

/** The editor, once a field of code was used: it is as large as half of the console. */
const loaded = new Store<ComponentType<EditorProps> | undefined>(undefined)

/** A page that cannot load the editor keeps plain fields. */
const load = (): Promise<void> =>
  import('./code-editor.tsx').then(
    ({ CodeEditor }) => loaded.set(CodeEditor),
    () => undefined,
  )

type Props = Omit<EditorProps, 'selection'>

/** A field of code. It is a plain field until a person comes near it. */
export function CodeField(props: Props) {
  const { label, help, value, onValue } = props
  const Editor = useStore(loaded)
  const [selection, setSelection] = useState<readonly [number, number]>()
  return (
    <Field label={label} help={help}>
      {(tied) =>
        Editor ? (
          <Editor {...props} selection={selection} />
        ) : (
          <textarea
            {...tied}
            rows={6}
            spellCheck={false}
            dir="ltr"
            value={value}
            onPointerEnter={() => void load()}
            onFocus={() => void load()}
            onSelect={({ currentTarget: { selectionStart, selectionEnd } }) =>
              setSelection([selectionStart, selectionEnd])
            }
            onBlur={() => setSelection(undefined)}
            onChange={(event) => onValue(event.target.value)}
          />
        )
      }
    </Field>
  )
}
