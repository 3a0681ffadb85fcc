//! The Rust crate dynibo behind functions of C, for ../dynibo.c: one robot, and calls by number. Nothing is copied on
//! the way: its own functions take slices of the caller's arrays.
use dynibo::{Frame, LinkId, Robot};
use std::ffi::{CStr, c_char, c_int};
use std::slice::{from_raw_parts, from_raw_parts_mut};

pub struct Peer {
    robot: Robot,
    tool: LinkId,
    poses: Vec<Frame>,
}

/// A robot of a URDF file, NULL: it cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dynibo_open(path: *const c_char, tool: *const c_char) -> *mut Peer {
    let text = |s| unsafe { CStr::from_ptr(s) }.to_str().ok();
    let (Some(path), Some(tool)) = (text(path), text(tool)) else { return std::ptr::null_mut() };
    let Ok(robot) = Robot::from_urdf(path) else { return std::ptr::null_mut() };
    let Ok(tool) = robot.link_id(tool) else { return std::ptr::null_mut() };
    let poses = vec![Frame::identity(); robot.link_count()];
    Box::into_raw(Box::new(Peer { robot, tool, poses }))
}

/// The number of a joint's coordinate, -1: there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dynibo_joint(p: *const Peer, name: *const c_char) -> c_int {
    let (robot, name) = unsafe { (&(*p).robot, CStr::from_ptr(name)) };
    (0..robot.joint_count()).find(|&i| robot.joint_name(i).ok() == name.to_str().ok()).map_or(-1, |i| i as c_int)
}

/// The number of a link among the poses, -1: there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dynibo_link(p: *const Peer, name: *const c_char) -> c_int {
    let (robot, name) = unsafe { (&(*p).robot, CStr::from_ptr(name)) };
    let is_it = |&i: &usize| {
        let link = robot.link_id_at(i).and_then(|link| robot.link_name(link));
        link.ok() == name.to_str().ok()
    };
    (0..robot.link_count()).find(is_it).map_or(-1, |i| i as c_int)
}

/// Position and rotation by rows of a link, of the poses that were computed last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dynibo_pose(p: *const Peer, link: c_int, out: *mut f64) {
    let (frame, out) = unsafe { (&(&(*p).poses)[link as usize], from_raw_parts_mut(out, 12)) };
    let rotation = frame.rotation.to_rotation_matrix();
    for i in 0..3 {
        out[i] = frame.translation.vector[i];
        for j in 0..3 {
            out[3 + 3 * i + j] = rotation[(i, j)];
        }
    }
}

/// Work number `work` of dynibo.c. Nonzero: it failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dynibo_call(
    p: *mut Peer,
    work: c_int,
    q: *const f64,
    v: *const f64,
    x: *const f64,
    out: *mut f64,
) -> c_int {
    let Peer { robot, tool, poses } = unsafe { &mut *p };
    let n = robot.joint_count();
    let (q, v, x) = unsafe { (from_raw_parts(q, n), from_raw_parts(v, n), from_raw_parts(x, n)) };
    let array = |size| unsafe { from_raw_parts_mut(out, size) };
    let done = match work {
        0 => robot.inverse_dynamics(q, v, x, &[], array(n)),
        1 => robot.mass_matrix(q, array(n * n)),
        2 => robot.forward_dynamics(q, v, x, &[], array(n)),
        3 => robot.forward_kinematics_all(q, poses),
        4 => robot.jacobian(q, *tool, array(6 * n)),
        _ => robot.gravity(q, &[], array(n)),
    };
    done.is_err() as c_int
}
