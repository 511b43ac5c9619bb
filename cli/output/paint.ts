export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

const codes: Record<Colour, string> = { red: '31', green: '32', yellow: '33', dim: '2', bold: '1' }

/** Colours `text` on a terminal unless NO_COLOR is set; elsewhere returns it unchanged. */
export function paint(text: string, colour: Colour, stream: { isTTY?: boolean } = process.stdout): string {
  const plain = stream.isTTY !== true || (process.env.NO_COLOR ?? '') !== ''
  return plain ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`
}
