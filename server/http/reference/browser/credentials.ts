import { button, byId, element } from './elements.ts'

/** The credentials of the person at the page. They are nowhere but in this module, and gone with the page. */
let headers: Record<string, string> = {}

export const credentialHeaders = (): Record<string, string> => headers

const field = (label: string, attributes: Record<string, string>): [HTMLElement, HTMLInputElement] => {
  const input = element('input', { autocomplete: 'off', spellcheck: 'false', ...attributes })
  return [element('label', {}, `${label} `, input), input]
}

/** Fills the panel of the page with fields for an API key, or a login. */
export function mountCredentials(): void {
  const state = element('output', {}, 'No credentials.')
  const use = (next: Record<string, string>, words: string) => {
    headers = next
    state.textContent = words
  }
  const [keyLabel, key] = field('API key', { type: 'password', id: 'api-key' })
  const [nameLabel, name] = field('Login name', { id: 'login-name' })
  const [passwordLabel, password] = field('Password', { type: 'password', id: 'login-password' })
  key.addEventListener('input', () => {
    if (key.value.trim() === '') use({}, 'No credentials.')
    else use({ 'X-Api-Key': key.value.trim() }, 'Requests are sent with the API key.')
  })
  const logIn = async () => {
    const response = await fetch('public/auth/token', {
      method: 'POST',
      body: new URLSearchParams({ username: name.value, password: password.value }),
    })
    password.value = ''
    if (!response.ok) return use({}, 'The login name or the password is wrong.')
    const { access_token: token } = (await response.json()) as { access_token: string }
    use({ Authorization: `Bearer ${token}` }, `Requests are sent as ${name.value}.`)
  }
  const forget = () => {
    for (const input of [key, name, password]) input.value = ''
    use({}, 'No credentials.')
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
        logIn().catch(() => use({}, 'The service cannot be reached.'))
      }),
    ),
    element('div', { class: 'fields' }, state, button('Forget', forget)),
  )
}
