export { Door, DoorCreateRequest, DoorList, DoorRuntime, DoorRuntimeRequest, DoorWithKey } from './door.ts'
