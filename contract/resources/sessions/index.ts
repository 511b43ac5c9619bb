export { Session, SessionCreateRequest, SessionList } from './session.ts'
export { SessionFile, SessionFileList, SessionFolderRequest, SessionMoveRequest } from './session-file.ts'
