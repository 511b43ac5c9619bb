export interface EditorProps {
  label: string
  help: string
  language: 'shell' | 'json'
  value: string
  /** Where the editor begins with the focus, from the first to the last selected character; undefined: without. A caret is taken once. */
  takeCaret: () => readonly [number, number] | undefined
  onValue: (value: string) => void
}
