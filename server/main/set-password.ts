import { resetPassword } from '../platform/reset-password.ts'
import { actOnService, type ServiceRefusal } from './local-service.ts'

/** The new password of a user of the service of this machine; undefined when nobody has that login. */
export const setPassword = (
  login: string,
): Promise<{ ok: true; value: string | undefined } | ServiceRefusal> =>
  actOnService({ act: 'password_set', subject: login }, ({ db }) => resetPassword(db, login))
