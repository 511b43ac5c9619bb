import { type Credential, caller, change, credentialHeaders, type MenuTask } from './caller.ts'
import { button, byId, element } from './elements.ts'

const field = (label: string, attributes: Record<string, string>): [HTMLElement, HTMLInputElement] => {
  const input = element('input', { autocomplete: 'off', spellcheck: 'false', ...attributes })
  return [element('label', {}, `${label} `, input), input]
}

/** A list to choose from, hidden while it is empty. */
function choice<Item>(label: string, choose: (item: Item | undefined) => void) {
  const select = element('select')
  const view = element('label', { hidden: true }, `${label} `, select)
  let items: Item[] = []
  select.addEventListener('change', () => choose(items[select.selectedIndex]))
  const offer = (next: Item[], nameOf: (item: Item) => string) => {
    items = next
    select.replaceChildren(...next.map((item) => element('option', {}, nameOf(item))))
    view.hidden = next.length === 0
    choose(next[0])
  }
  return { view, offer }
}

async function itemsOf<Item>(path: string): Promise<Item[]> {
  const response = await fetch(path, { headers: credentialHeaders() })
  return response.ok ? ((await response.json()) as { items: Item[] }).items : []
}

interface Room {
  id: string
  name: string
}

/** Fills the panel of the page with fields for an API key, or a login, and with the rooms and tasks that it opens. */
export function mountCredentials(): void {
  const state = element('output', {}, 'No credentials.')
  const task = choice<MenuTask>('Task', (chosen) => change({ task: chosen }))
  const room = choice<Room>('Room', (chosen) => {
    change({ room: chosen?.id ?? '' })
    offerTasks().catch(() => {})
  })
  const offerTasks = async () => {
    const { room: id } = caller
    const tasks = id === '' ? [] : await itemsOf<MenuTask>(`private/module/sandbox/chatrooms/${id}/menu`)
    if (id === caller.room) task.offer(tasks, ({ task_name: name }) => name)
  }
  const offerRooms = async ({ value }: Credential) => {
    const rooms = await itemsOf<Room>('private/module/sandbox_ext/chatrooms?page_size=100')
    if (value === caller.credential?.value) room.offer(rooms, ({ name }) => name)
  }
  const use = (credential: Credential | undefined, words: string) => {
    state.textContent = words
    change({ credential })
    if (credential) offerRooms(credential).catch(() => {})
    else room.offer([], () => '')
  }
  const [keyLabel, key] = field('API key', { type: 'password', id: 'api-key' })
  const [nameLabel, name] = field('Login name', { id: 'login-name' })
  const [passwordLabel, password] = field('Password', { type: 'password', id: 'login-password' })
  key.addEventListener('change', () => {
    const value = key.value.trim()
    if (value === '') use(undefined, 'No credentials.')
    else use({ kind: 'key', value }, 'Requests are sent with the API key.')
  })
  const logIn = async () => {
    const response = await fetch('public/auth/token', {
      method: 'POST',
      body: new URLSearchParams({ username: name.value, password: password.value }),
    })
    password.value = ''
    if (!response.ok) return use(undefined, 'The login name or the password is wrong.')
    const { access_token: value } = (await response.json()) as { access_token: string }
    use({ kind: 'login', value }, `Requests are sent as ${name.value}.`)
  }
  const forget = () => {
    for (const input of [key, name, password]) input.value = ''
    use(undefined, 'No credentials.')
  }
  const panel = byId('credentials')
  panel.hidden = false
  panel.append(
    element('p', {}, 'Kept in the memory of this page alone: closing or reloading it forgets them.'),
    element('div', { class: 'fields' }, keyLabel),
    element(
      'div',
      { class: 'fields' },
      nameLabel,
      passwordLabel,
      button('Log in', () => {
        logIn().catch(() => use(undefined, 'The service cannot be reached.'))
      }),
    ),
    element('div', { class: 'fields' }, room.view, task.view),
    element('div', { class: 'fields' }, state, button('Forget', forget)),
  )
}
