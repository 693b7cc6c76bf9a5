// Package added keeps the plugins that a person added in one folder: their modules, their signatures, and a lock file
// that names the module of each plugin.
//
// Files of modules are named by their content, so the lock file alone decides what is added. A process that is killed
// leaves either the old or the new plugins, and perhaps files that the next change removes.
package added
