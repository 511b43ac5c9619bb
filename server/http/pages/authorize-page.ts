import type { AskedRequest, AuthorizationRequest } from '../../access/oauth/authorization-request.ts'
import type { OAuthClient } from '../../access/oauth/client-registration.ts'
import { destinationOf, isOnThisComputer } from '../../access/oauth/redirect-uri.ts'
import { type Html, html } from '../reference/html.ts'
import { formPage, loginForm, problemLine } from './form-page.ts'

const title = 'Let a program run jobs for you'

/** Says nothing of a room before the login. */
export const authorizeLoginPage = ({ client, clientHost }: AskedRequest, problem?: string): string =>
  formPage(
    title,
    html`<p>${nameLine(client, clientHost)} asks to run jobs for you. Log in to see what it asks for.</p>
${problemLine(problem)}
${loginForm('Continue')}`,
  )

/** The one who asks, as far as it is known: the name is what the program says, the host of its document is certain. */
const nameLine = (client: OAuthClient | undefined, host: string | undefined): Html => {
  const origin = host === undefined ? html`` : html` of <strong>${host}</strong>`
  return client === undefined
    ? html`A program${origin}`
    : html`A program${origin} that calls itself <strong>${client.name}</strong>`
}

/** Any program of this computer can take an answer there, whichever document it names. */
const impostorLine = ({ clientHost, redirectUri }: AuthorizationRequest): Html =>
  clientHost !== undefined && isOnThisComputer(redirectUri)
    ? html` Another program on this computer could claim to be of ${clientHost}.`
    : html``

export interface Consent {
  request: AuthorizationRequest
  roomName: string
  username: string
  /** Hidden proof of the login. */
  login: string
}

/** The request that the person decides about. The name of the program is what it says; where the answer goes is certain. */
export const consentPage = ({ request, roomName, username, login }: Consent): string =>
  formPage(
    title,
    html`<p>You are logged in as <strong>${username}</strong>. ${nameLine(request.client, request.clientHost)} asks to act for you in the room <strong>${roomName}</strong>. It could</p>
<ul>
<li>list the jobs of this room and start those that need no confirmation,</li>
<li>propose jobs that need one: only you can confirm them,</li>
<li>see and cancel jobs that you submitted in this room.</li>
</ul>
<p>Nobody has verified its name. Your answer goes to <strong>${destinationOf(request.redirectUri)}</strong>.${impostorLine(request)} If you did not just
start to connect this program, deny it.</p>
<form method="post">
<input type="hidden" name="login" value="${login}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>
<p>It stays connected while it is used, for 90 days at most. A new password of yours disconnects it at once.</p>`,
  )

export const authorizeProblemPage = (problem: string): string => formPage(title, problemLine(problem))
