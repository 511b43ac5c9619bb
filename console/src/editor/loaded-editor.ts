import type { ComponentType } from 'react'
import { Store } from '../data/store.ts'
import type { EditorProps } from './editor-props.ts'

/** The editor. It is loaded when code is first used, since it is half as large as the console. */
export const loadedEditor = new Store<ComponentType<EditorProps> | undefined>(undefined)

/** A page that cannot load the editor keeps what it has in its place. */
export const loadEditor = (): Promise<void> =>
  import('./code-editor.tsx').then(
    ({ CodeEditor }) => loadedEditor.set(CodeEditor),
    () => undefined,
  )
