export interface EditorProps {
  label: string
  help: string
  language: 'shell' | 'json'
  value: string
  /** Where the caret is, from the first to the last character, in a field that has the focus. */
  selection: readonly [number, number] | undefined
  onValue: (value: string) => void
}
