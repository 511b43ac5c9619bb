import { passwordMaxLength, passwordMinLength } from '@sandbox-jobs/contract/limits.ts'
import { html } from '../reference/html.ts'
import { formPage, problemLine } from './form-page.ts'

const title = 'Choose a password'

/** The login has no name, so that it is shown, and kept by a password manager, but not sent. */
export const passwordPage = (login: string, problem?: string): string =>
  formPage(
    title,
    html`${problemLine(problem)}
<form method="post">
<label>User name <input value="${login}" autocomplete="username" readonly></label>
<label>New password, ${passwordMinLength} to ${passwordMaxLength} characters
<input name="password" type="password" autocomplete="new-password" minlength="${passwordMinLength}" required autofocus></label>
<label>The same again <input name="again" type="password" autocomplete="new-password" required></label>
<button>Set the password</button>
</form>`,
  )

export const passwordSetPage = (login: string): string =>
  formPage(
    title,
    html`<p>The password is set. You can log in as <code>${login}</code>, and close this page.</p>`,
  )

export const passwordProblemPage = (problem: string): string => formPage(title, problemLine(problem))
