import type { Proposal } from '@sandbox-jobs/contract/resources/agents/proposal.ts'
import { html } from '../reference/html.ts'
import { formPage, loginForm, problemLine } from './form-page.ts'

/** The same for every id: who is not logged in learns nothing of a proposal. */
export const loginPage = (problem?: string): string =>
  formPage(
    'Confirm a job',
    html`<p>An agent asks to run a job for you. Log in to see it.</p>
${problemLine(problem)}
${loginForm('Show the job')}`,
  )

/** The job that the person decides about; the summary is made from the stored bytes. */
export const decisionPage = ({ summary, expires_at }: Proposal, login: string): string =>
  formPage(
    'Run this job?',
    html`<pre>${summary}</pre>
<p>Names and input may be written by others. Until ${expires_at} you can decide.</p>
<form method="post">
<input type="hidden" name="login" value="${login}">
<button name="decision" value="confirm">Run the job</button>
<button name="decision" value="reject">Reject it</button>
</form>`,
  )

const outcomes: Partial<Record<Proposal['state'], string>> = {
  committed: 'The job was started.',
  cancelled: 'The job was rejected. Nothing was started.',
  superseded: 'The agent proposed another job instead. Nothing was started.',
  expired: 'The proposal is too old. Ask the agent again.',
  failed: 'The job cannot be run any more. Nothing was started.',
}

export const outcomePage = ({ state, run_id }: Proposal): string =>
  formPage(
    'Confirm a job',
    html`<p>${outcomes[state] ?? 'The job is being started.'}</p>
${run_id === null ? '' : html`<p>Run: <code>${run_id}</code></p>`}
<p>You can close this page and go on in the chat.</p>`,
  )

export const problemPage = (problem: string): string =>
  formPage('Confirm a job', html`<p class="problem" role="alert">${problem}</p>`)
