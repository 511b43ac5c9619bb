import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../main-job/service.ts'
import { openService } from '../main-job/shared-service.ts'
import { logIn, type Tenant } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser, waitForScreen } from './console-browser.ts'
import { hostileName, storedTexts, tracesOf } from './hostile-texts.ts'

const password = 'correct horse battery'

/** An administrator brings a person into the company, gives them a department and a room, and takes all of it away. */
let service: Service
let tenant: Tenant
let browser: Browser
let page: Page
let faults: string[]
/** A login is unique in the whole deployment. */
let login: string

beforeAll(async () => {
  service = await openService()
  tenant = await logIn(service)
  login = `mia-${service.user}`
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/chatrooms`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const dialogButton = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })

/** Chooses a password at the address that the screen shows, as the person does. */
async function choosePassword(label: string): Promise<void> {
  const address = await page.getByRole('textbox', { name: label }).inputValue()
  const theirs = await openPage(await newContext(browser))
  await theirs.page.goto(address)
  for (const field of await theirs.page.locator('input[type=password]').all()) await field.fill(password)
  await theirs.page.locator('button[type=submit], button:not([type])').first().click()
  await theirs.page.getByText(login).first().waitFor()
  await theirs.page.context().close()
}

async function signInAsPerson(): Promise<Page> {
  const theirs = await openPage(await newContext(browser))
  await theirs.page.goto(`${service.url}/console/chatrooms`)
  await signIn(theirs.page, login, password)
  return theirs.page
}

test('a person is invited by an address that is shown once, and chooses the password there', async () => {
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  await page.getByRole('link', { name: 'Invite a person' }).click()
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByText('Write a login of these characters.').waitFor()
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Name').fill('Mia')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByRole('heading', { level: 1, name: 'The person is invited' }).waitFor()
  await choosePassword('Address for the password')
  const theirs = await signInAsPerson()
  await theirs.getByText('You are in no room yet.').waitFor()
  expect(await theirs.getByRole('link', { name: 'Company' }).count()).toBe(0)
  await theirs.goto(`${service.url}/console/company/people`)
  await theirs.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  await theirs.context().close()
})

test('a login that exists is refused in words, and the form stays as it was typed', async () => {
  await page.goto(`${service.url}/console/company/people/new`)
  await page.getByLabel('Login').fill(login)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Login').inputValue()).toBe(login)
})

test('a department is made, and the person manages it', async () => {
  await page.goto(`${service.url}/console/company/departments`)
  await page.getByRole('button', { name: 'New department' }).click()
  await dialogButton('New department').click()
  await page.getByText('Write a name first.').waitFor()
  await page.getByRole('dialog').getByLabel('Name').fill('support')
  await dialogButton('New department').click()
  await page.getByRole('heading', { level: 1, name: 'support' }).waitFor()
  await page.getByLabel('Another manager').selectOption({ label: `Mia (${login})` })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('link', { name: 'Mia' }).click()
  await page.getByRole('heading', { level: 1, name: 'Mia' }).waitFor()
  expect(await page.getByLabel('Role').inputValue()).toBe('department_manager')
  expect(await page.getByRole('checkbox', { name: 'support' }).isChecked()).toBe(true)
})

test('name and departments of a person are changed', async () => {
  await page.getByLabel('Name').fill('Mia M.')
  await page.getByRole('checkbox', { name: 'support' }).uncheck()
  await page.getByRole('checkbox', { name: 'sales' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Mia M.' }).waitFor()
  await page.getByText('It is saved.').waitFor()
  await page.reload()
  await page.getByRole('checkbox', { name: 'sales' }).waitFor()
  expect(await page.getByRole('checkbox', { name: 'sales' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'support' }).isChecked()).toBe(false)
})

test('a room is made with the person in it, who manages it', async () => {
  await page.goto(`${service.url}/console/company/chatrooms`)
  await page.getByRole('button', { name: 'New room' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('front-desk')
  await page.getByRole('dialog').getByLabel('Department').selectOption({ label: 'support' })
  await dialogButton('New room').click()
  await page.getByRole('heading', { level: 1, name: 'front-desk' }).waitFor()
  await page.getByText('Nobody is in the room yet.').waitFor()
  await page.getByLabel('Another person').selectOption({ label: `Mia M. (${login})` })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Mia M. manages the room' }).click()
  await page.getByRole('checkbox', { name: 'Mia M. manages the room', checked: true }).waitFor()
  const theirs = await signInAsPerson()
  await theirs.getByRole('link', { name: 'front-desk' }).first().waitFor()
  await theirs.context().close()
})

test('a room is renamed, and deleted with a word about whom it is taken from', async () => {
  await page.getByRole('button', { name: 'Rename or move' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('reception')
  await dialogButton('Save').click()
  await page.getByRole('heading', { level: 1, name: 'reception' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 person loses the room.').waitFor()
  await dialogButton('Delete').click()
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  await page.getByRole('link', { name: 'daily-numbers' }).first().waitFor()
  expect(await page.getByRole('link', { name: 'reception' }).count()).toBe(0)
})

test('a new password and disabling end the sign-ins of the person', async () => {
  const theirs = await signInAsPerson()
  await theirs.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  await page.goto(`${service.url}/console/company/people?name=mia`)
  await page.getByRole('link', { name: 'Mia M.' }).click()
  await page.getByRole('button', { name: 'New password' }).click()
  await dialogButton('New password').click()
  await page.getByRole('textbox', { name: 'Address for the password' }).waitFor()
  await theirs.goto(`${service.url}/console/chatrooms`)
  await theirs.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await choosePassword('Address for the password')
  await signIn(theirs, login, password)
  await theirs.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialogButton('Disable').click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  await theirs.goto(`${service.url}/console/runs`)
  await theirs.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await theirs.context().close()
})

test('the last administrator stays, and the screen says why', async () => {
  const { principal_id: id } = await tenant.client.call(allRoutes.readMe)
  await page.goto(`${service.url}/console/company/people/${id}`)
  await page.getByLabel('Role').selectOption('member')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('administrator').first().waitFor()
})

test('names of people, departments and rooms stay text', async () => {
  const { client, room } = tenant
  const { name, shown } = hostileName
  const { id: department } = await client.call(allRoutes.createDepartment, { body: { name } })
  const { id: hostileRoom } = await client.call(allRoutes.createChatroom, {
    body: { department_id: department, name },
  })
  const people: string[] = []
  for (const [at, display_name] of [name, ...storedTexts].entries()) {
    if (at % 8 !== 0 || [...display_name].length > 256) continue
    const body = { login: `h${at}-${service.user}`, display_name }
    const { user } = await client.call(allRoutes.inviteUser, { body })
    people.push(user.id)
  }
  const [first = ''] = people
  await client.call(allRoutes.putMember, { params: { cid: room, uid: first } })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const ofCompany = [
    'people',
    `people/${first}`,
    'departments',
    `departments/${department}`,
    'chatrooms',
    `chatrooms/${room}`,
    `chatrooms/${hostileRoom}`,
  ].map((path) => `company/${path}`)
  const ofRoom = ['', '/runs', '/manage/doors', '/schedules'].map((part) => `chatrooms/${hostileRoom}${part}`)
  for (const path of [...ofCompany, ...ofRoom, 'runs']) {
    await page.goto(`${service.url}/console/${path}`)
    await waitForScreen(page)
    await page.getByText(shown).first().waitFor({ state: 'attached' })
    expect(await tracesOf(page), path).toEqual([])
  }
  expect(requests.filter((url) => !url.startsWith(`${service.url}/`))).toEqual([])
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
