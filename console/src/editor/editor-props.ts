export type Language = 'shell' | 'json'

export interface EditorProps {
  label: string
  help: string
  language: Language
  value: string
  /** Where the editor begins with the focus, from the first to the last selected character; undefined: without. A caret is taken once. */
  takeCaret: () => readonly [number, number] | undefined
  /** Absent: the code is only read. */
  onValue?: (value: string) => void
}
