import { type ComponentType, useRef } from 'react'
import { useStore } from '../data/store.ts'
import { TextBlock } from '../parts/text-block.tsx'
import type { EditorProps } from './editor-props.ts'
import { loadEditor, loadedEditor } from './loaded-editor.ts'

type Props = Pick<EditorProps, 'label' | 'language'> & { text: string }

/** Code that nobody changes. It is plain text until a person comes near it. */
export function CodeBlock({ label, language, text }: Props) {
  const Editor = useStore(loadedEditor)
  const hadFocus = useRef(false)
  function takeCaret() {
    const caret = hadFocus.current ? ([0, 0] as const) : undefined
    hadFocus.current = false
    return caret
  }
  if (Editor) return <Loaded {...{ Editor, label, language, takeCaret }} help="" value={text} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the editor is loaded when a person comes to the text
    <div
      // Read when the editor takes its place, so that the focus stays in the code.
      ref={(block) => () => {
        hadFocus.current = block?.contains(document.activeElement) ?? false
      }}
      onPointerEnter={() => void loadEditor()}
      onFocus={() => void loadEditor()}
    >
      <TextBlock label={label} text={text} />
    </div>
  )
}

const Loaded = ({ Editor, ...props }: EditorProps & { Editor: ComponentType<EditorProps> }) => (
  <Editor {...props} />
)
