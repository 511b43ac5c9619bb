/** Text that already is HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | Html[] | string | number | undefined

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const textOf = (part: Part): string => {
  if (part === undefined) return ''
  if (Array.isArray(part)) return part.map(textOf).join('')
  if (part instanceof Html) return part.text
  return String(part).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
}

/** A template whose values are escaped unless they are `Html`. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.map((text, at) => text + textOf(parts[at])).join(''))
