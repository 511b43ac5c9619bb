import { button, element } from './elements.ts'

/** Characters of a response that the page shows: more would make it slow. */
const shownMax = 200_000

/** Shows a response as text, an event stream as it comes. */
export async function showAnswer(place: HTMLElement, answer: Response, startedAt: number): Promise<void> {
  const type = answer.headers.get('content-type') ?? ''
  const facts = [
    `${answer.status} ${answer.statusText}`,
    `${Math.round(performance.now() - startedAt)} ms`,
    type,
    `request ${answer.headers.get('x-request-id') ?? ''}`,
  ]
  const text = element('pre', { tabindex: '0' })
  place.replaceChildren(element('p', { class: answer.ok ? 'good' : 'bad' }, facts.join(' · ')), text)
  if (type.startsWith('text/event-stream') && answer.body) return follow(place, text, answer.body)
  if (/json|text|csv/.test(type)) text.textContent = cut(readable(await answer.text()))
  else text.textContent = `${(await answer.arrayBuffer()).byteLength} bytes`
}

async function follow(
  place: HTMLElement,
  text: HTMLElement,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  place.append(
    button('Stop', () => {
      reader.cancel().catch(() => {})
    }),
  )
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text.textContent = (text.textContent + decoder.decode(value, { stream: true })).slice(-shownMax)
  }
}

const cut = (text: string): string =>
  text.length > shownMax ? `${text.slice(0, shownMax)}\n… ${text.length - shownMax} more characters` : text

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
