//! `ResourceManager`: the objects of a device that outlive steps: variables, queues, accumulators, tables (TF: `ResourceMgr`).

use ferroflow_tensor::error::{already_exists, invalid_argument, not_found};
use ferroflow_tensor::{ResourceHandle, Result};
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// An object that a resource manager holds. The type name appears in messages and distinguishes equal names.
pub trait Resource: Any + Send + Sync {
    /// Such as `Variable` or `FIFOQueue`.
    fn type_name(&self) -> &'static str;
}

impl Resource for super::Variable {
    fn type_name(&self) -> &'static str {
        "Variable"
    }
}

type Key = (String, std::any::TypeId, String);

/// Objects by (container, type, name).
pub struct ResourceManager {
    default_container: String,
    objects: Mutex<HashMap<Key, Arc<dyn Resource>>>,
}

fn key<T: Resource>(container: &str, name: &str) -> Key {
    (container.to_owned(), std::any::TypeId::of::<T>(), name.to_owned())
}

fn downcast<T: Resource>(object: Arc<dyn Resource>) -> Result<Arc<T>> {
    let any: Arc<dyn Any + Send + Sync> = object;
    any.downcast::<T>().map_err(|_| invalid_argument("a resource is of another type than its key says"))
}

impl ResourceManager {
    /// An empty manager. The default container is the job's name, as in TF's servers.
    pub fn new(default_container: impl Into<String>) -> ResourceManager {
        ResourceManager { default_container: default_container.into(), objects: Mutex::default() }
    }

    /// The container that an empty name stands for.
    pub fn default_container(&self) -> &str {
        &self.default_container
    }

    /// The container that a node's `container` attribute stands for.
    pub fn container<'a>(&'a self, name: &'a str) -> &'a str {
        if name.is_empty() { &self.default_container } else { name }
    }

    /// The object of this type and name.
    ///
    /// Errors: `NotFound` naming container and name.
    pub fn lookup<T: Resource>(&self, container: &str, name: &str) -> Result<Arc<T>> {
        match self.objects.lock().get(&key::<T>(self.container(container), name)) {
            Some(object) => downcast(object.clone()),
            None => Err(not_found(format!("Resource {}/{name}/{} does not exist.", self.container(container), short_name::<T>()))),
        }
    }

    /// The object that a handle names.
    ///
    /// Errors: `NotFound` naming container and name.
    pub fn lookup_handle<T: Resource>(&self, handle: &ResourceHandle) -> Result<Arc<T>> {
        self.lookup(&handle.container, &handle.name)
    }

    /// The object of this type and name, made if it does not exist. `make` runs under the manager's lock: keep it short.
    ///
    /// Errors: what `make` returns.
    pub fn lookup_or_create<T: Resource>(&self, container: &str, name: &str, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut objects = self.objects.lock();
        let key = key::<T>(self.container(container), name);
        if let Some(object) = objects.get(&key) {
            return downcast(object.clone());
        }
        let object = Arc::new(make()?);
        objects.insert(key, object.clone());
        Ok(object)
    }

    /// Adds an object.
    ///
    /// Errors: `AlreadyExists` if there is one of this type and name.
    pub fn create<T: Resource>(&self, container: &str, name: &str, object: Arc<T>) -> Result<()> {
        let container = self.container(container);
        match self.objects.lock().entry(key::<T>(container, name)) {
            std::collections::hash_map::Entry::Occupied(_) => {
                Err(already_exists(format!("Resource {container}/{name}/{} exists.", short_name::<T>())))
            }
            std::collections::hash_map::Entry::Vacant(e) => {
                e.insert(object);
                Ok(())
            }
        }
    }

    /// Removes an object; those who hold it keep it.
    ///
    /// Errors: `NotFound` if there is none.
    pub fn delete<T: Resource>(&self, container: &str, name: &str) -> Result<()> {
        let container = self.container(container);
        match self.objects.lock().remove(&key::<T>(container, name)) {
            Some(_) => Ok(()),
            None => Err(not_found(format!("Resource {container}/{name}/{} does not exist.", short_name::<T>()))),
        }
    }

    /// Removes every object of the type whose name satisfies the predicate.
    pub fn delete_where(&self, container: &str, mut doomed: impl FnMut(&str) -> bool) {
        let container = self.container(container);
        let removed: Vec<_> = {
            let mut objects = self.objects.lock();
            let keys: Vec<Key> = objects.keys().filter(|k| k.0 == container && doomed(&k.2)).cloned().collect();
            keys.iter().filter_map(|k| objects.remove(k)).collect()
        };
        drop(removed);
    }

    /// Removes all objects of a container (TF: `ResourceMgr::Cleanup`); an unknown container is no error.
    pub fn clear(&self, container: &str) {
        self.delete_where(container, |_| true);
    }

    /// Every object as (container, name, type name), for status pages.
    pub fn list(&self) -> Vec<(String, String, &'static str)> {
        self.objects.lock().iter().map(|(k, v)| (k.0.clone(), k.2.clone(), v.type_name())).collect()
    }
}

fn short_name<T>() -> &'static str {
    let full = std::any::type_name::<T>();
    full.rsplit("::").next().unwrap_or(full)
}

#[cfg(test)]
mod tests {
    use super::super::Variable;
    use super::*;
    use ferroflow_tensor::{Code, DType};

    #[test]
    fn an_object_is_shared_by_container_and_name() {
        let m = ResourceManager::new("ps");
        let a = m.lookup_or_create("", "v", || Ok(Variable::new("v", DType::Float))).unwrap();
        let b = m.lookup::<Variable>("ps", "v").unwrap();
        assert!(Arc::ptr_eq(&a, &b));
        assert!(m.lookup::<Variable>("other", "v").is_err());
        m.clear("ps");
        let e = m.lookup::<Variable>("", "v").unwrap_err();
        assert_eq!(e.code(), Code::NotFound);
        assert_eq!(e.bare_message(), "Resource ps/v/Variable does not exist.");
    }
}
